const PREFIX = "sketch-pad:";

/** The value kept under `name`, or null if there is none or the browser does not let us read it. */
export function load(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name));
  } catch {
    return null;
  }
}

/** Keeps `value` under `name`. Where the browser refuses, the pad goes on without a memory. */
export function save(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch (error) {
    console.warn("The sketch pad could not be stored.", error);
  }
}
