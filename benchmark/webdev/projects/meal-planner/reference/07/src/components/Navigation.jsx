export function Navigation({ routes, current }) {
  return (
    <nav aria-label="Main">
      <ul>
        {routes.map((route) => (
          <li key={route.hash}>
            <a href={route.hash} aria-current={route === current ? "page" : undefined}>
              {route.title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
