const KEY = "rainfall-hidden-series";

export function loadHidden() {
  try {
    return new Set(JSON.parse(localStorage.getItem(KEY)));
  } catch {
    return new Set();
  }
}

export function saveHidden(hidden) {
  localStorage.setItem(KEY, JSON.stringify([...hidden]));
}
