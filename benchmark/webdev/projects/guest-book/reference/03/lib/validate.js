import { HttpError } from "./http.js";

const RULES = {
  name: { max: 40, empty: "Please enter your name.", long: "Your name may have at most 40 characters." },
  message: { max: 280, empty: "Please write a message.", long: "Your message may have at most 280 characters." },
};

/** The trimmed name and message of `body`; throws a 422 that names each wrong field. */
export function validEntry(body) {
  const entry = {};
  const fields = {};
  for (const [field, rule] of Object.entries(RULES)) {
    const value = typeof body[field] === "string" ? body[field].trim() : "";
    if (value === "") {
      fields[field] = rule.empty;
    } else if ([...value].length > rule.max) {
      fields[field] = rule.long;
    }
    entry[field] = value;
  }
  if (Object.keys(fields).length > 0) {
    throw new HttpError(422, "Please check your entry.", { body: { fields } });
  }
  return entry;
}
