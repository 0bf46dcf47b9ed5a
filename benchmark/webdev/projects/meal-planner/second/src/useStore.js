import { useLayoutEffect, useState } from "preact/hooks";
import { getState, subscribe } from "./store.js";

export function useStore() {
  const [state, setState] = useState(getState);
  useLayoutEffect(() => subscribe(setState), []);
  return state;
}
