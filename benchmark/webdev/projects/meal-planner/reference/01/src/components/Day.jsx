export function Day({ day }) {
  const headingId = `day-${day}`;
  return (
    <section class="day" aria-labelledby={headingId}>
      <h2 id={headingId}>{day}</h2>
      <p>Nothing planned</p>
    </section>
  );
}
