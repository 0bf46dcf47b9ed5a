/** Everything that can be said about a set of entries without looking at the page. */

export const blank = {
  firstName: "",
  lastName: "",
  email: "",
  phone: "",
  born: "",
  guardian: "",
  course: "",
  session: "",
  kit: false,
  concession: false,
};

const pad = (number, width) => String(number).padStart(width, "0");

function dayOf(date, yearsBack = 0) {
  return `${pad(date.getFullYear() - yearsBack, 4)}-${pad(date.getMonth() + 1, 2)}-${pad(date.getDate(), 2)}`;
}

const reached = (born, years) => born <= dayOf(new Date(), years);

export function isMinor(born) {
  return born !== "" && reached(born, 16) && !reached(born, 18);
}

export function courseOf(entries) {
  return courses.find(({ title }) => title === entries.course);
}

/** The entries with everything that follows from the course put right. */
export function settle(entries) {
  const course = courseOf(entries);
  const sessions = course ? course.sessions : [];
  const kept = sessions.includes(entries.session) ? entries.session : "";
  return {
    ...entries,
    session: sessions.length === 1 ? sessions[0] : kept,
    kit: Boolean(course && course.kit !== null && entries.kit),
  };
}

function emailWorks(address) {
  const parts = address.split("@");
  if (parts.length !== 2 || /\s/.test(address)) return false;
  const labels = parts[1].split(".");
  return parts[0] !== "" && labels.length > 1 && labels.every((label) => label !== "");
}

function phoneWorks(number) {
  const rest = number.startsWith("+") ? number.slice(1) : number;
  const digits = [...rest].filter((sign) => "0123456789".includes(sign));
  const others = [...rest].filter((sign) => !"0123456789 -()/".includes(sign));
  return others.length === 0 && digits.length > 6 && digits.length < 16;
}

/** What is wrong, by the name of the entry, in the order of the form. */
export function mistakes(entries) {
  const found = new Map();
  const has = (key) => entries[key].trim() !== "";
  const flag = (key, wrong, message) => {
    if (wrong && !found.has(key)) found.set(key, message);
  };
  flag("firstName", !has("firstName"), "Enter your first name");
  flag("lastName", !has("lastName"), "Enter your last name");
  flag("email", !has("email"), "Enter your e-mail address");
  flag("email", !emailWorks(entries.email.trim()), "Enter an e-mail address like name@example.com");
  flag("phone", has("phone") && !phoneWorks(entries.phone.trim()), "Enter a phone number with 7 to 15 digits");
  flag("born", !has("born"), "Enter your date of birth");
  flag("born", !reached(entries.born, 0), "The date of birth cannot be in the future");
  flag("born", !reached(entries.born, 16), "You must be at least 16 years old");
  flag("guardian", isMinor(entries.born) && !has("guardian"), "Enter the name of a parent or guardian");
  flag("course", !has("course"), "Choose a course");
  flag("session", has("course") && !has("session"), "Choose a session");
  return found;
}

/** Label and amount in cents of each line, the total last; nothing without a course. */
export function bill(entries) {
  const course = courseOf(entries);
  if (!course) return [];
  const fee = Math.round(course.fee * 100);
  const lines = [["Course fee", fee]];
  if (entries.kit) lines.push(["Course kit", Math.round(course.kit * 100)]);
  if (entries.concession) lines.push(["Concession", -Math.round(fee / 5)]);
  return [...lines, ["Total", lines.reduce((sum, [, cents]) => sum + cents, 0)]];
}

export function money(cents) {
  return `${cents < 0 ? "-" : ""}€${(Math.abs(cents) / 100).toFixed(2)}`;
}
