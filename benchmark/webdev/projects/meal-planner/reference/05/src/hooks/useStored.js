import { useEffect, useState } from "preact/hooks";

function load(key, read) {
  try {
    return read(JSON.parse(localStorage.getItem(key)));
  } catch {
    return read(null);
  }
}

/**
 * State that is kept in this browser and follows the other tabs. `read` makes a
 * usable value of whatever was stored, null included; it must not change between renders.
 */
export function useStored(key, read) {
  const [value, setValue] = useState(() => load(key, read));

  useEffect(() => {
    localStorage.setItem(key, JSON.stringify(value));
  }, [key, value]);

  useEffect(() => {
    const follow = (event) => {
      if (event.key === key) {
        setValue(load(key, read));
      }
    };
    window.addEventListener("storage", follow);
    return () => window.removeEventListener("storage", follow);
  }, [key, read]);

  return [value, setValue];
}
