import { useEffect, useState } from "preact/hooks";

/** What is kept in this browser under `key`: `read` makes a usable value of whatever was stored, null included. */
export function loadStored(key, read) {
  try {
    return read(JSON.parse(localStorage.getItem(key)));
  } catch {
    return read(null);
  }
}

/** Keeps `value` in this browser, and calls `onOutside` with the new value when another tab has changed it. */
export function useStorage(key, read, value, onOutside) {
  useEffect(() => {
    localStorage.setItem(key, JSON.stringify(value));
  }, [key, value]);

  useEffect(() => {
    const follow = (event) => {
      if (event.key === key) {
        onOutside(loadStored(key, read));
      }
    };
    window.addEventListener("storage", follow);
    return () => window.removeEventListener("storage", follow);
  }, [key, read, onOutside]);
}

/** State that is kept in this browser and follows the other tabs. `read` must not change between renders. */
export function useStored(key, read) {
  const [value, setValue] = useState(() => loadStored(key, read));
  useStorage(key, read, value, setValue);
  return [value, setValue];
}
