import { useEffect, useState } from "preact/hooks";

/** The one of `routes` that the address names behind its #, else the first of them. */
export function useRoute(routes) {
  const [hash, setHash] = useState(window.location.hash);

  useEffect(() => {
    const follow = () => setHash(window.location.hash);
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);

  return routes.find((route) => route.hash === hash) ?? routes[0];
}
