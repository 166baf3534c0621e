import { type Json, isList, isObject, show } from "./json.ts";
import { type Message, message } from "./message.ts";

/** What is wrong with a client's value; a property and an action's parameter word it differently. */
export type Wrong =
  | { readonly is: "type" | "format" | "unlisted" | "range" }
  | { readonly is: "long"; readonly max: number };
export type Check = (value: Json) => Wrong | undefined;

export const boolean: Check = (value) => (typeof value === "boolean" ? undefined : { is: "type" });

export const oneOf =
  (values: readonly string[]): Check =>
  (value) => {
    if (typeof value !== "string") return { is: "type" };
    return values.includes(value) ? undefined : { is: "unlisted" };
  };

export const text =
  (options: { readonly characters_max: number; readonly form?: RegExp }): Check =>
  (value) => {
    if (typeof value !== "string") return { is: "type" };
    if (value.length > options.characters_max) return { is: "long", max: options.characters_max };
    return options.form === undefined || options.form.test(value) ? undefined : { is: "format" };
  };

export const integer =
  (min: number, max: number): Check =>
  (value) => {
    if (typeof value !== "number" || !Number.isInteger(value)) return { is: "type" };
    return value >= min && value <= max ? undefined : { is: "range" };
  };

export const nullable =
  (check: Check): Check =>
  (value) =>
    value === null ? undefined : check(value);

const isBlank = (value: Json): boolean => isObject(value) && Object.keys(value).length === 0;

/** An array to PATCH: `null` removes a member, `{}` leaves it as it is (DSP0266, "PATCH on array properties"). */
export const patchedList =
  (members_max: number, member: Check): Check =>
  (value) => {
    if (!isList(value)) return { is: "type" };
    if (value.length > members_max) return { is: "long", max: members_max };
    return value
      .filter((one) => one !== null && !isBlank(one))
      .map(member)
      .find((wrong) => wrong !== undefined);
  };

export function wrongProperty(wrong: Wrong, value: Json, path: string): Message {
  const about = [`#/${path}`];
  switch (wrong.is) {
    case "type":
      return message("PropertyValueTypeError", [show(value), path], about);
    case "format":
      return message("PropertyValueFormatError", [show(value), path], about);
    case "unlisted":
      return message("PropertyValueNotInList", [show(value), path], about);
    case "range":
      return message("PropertyValueOutOfRange", [show(value), path], about);
    case "long":
      return isList(value)
        ? message("ArraySizeTooLong", [path, String(wrong.max)], about)
        : message("StringValueTooLong", [show(value), String(wrong.max)], about);
  }
}

export function wrongParameter(wrong: Wrong, value: Json, name: string, action: string): Message {
  switch (wrong.is) {
    case "type":
      return message("ActionParameterValueTypeError", [show(value), name, action]);
    case "unlisted":
      return message("ActionParameterValueNotInList", [show(value), name, action]);
    case "format":
    case "range":
      return message("ActionParameterValueFormatError", [show(value), name, action]);
    case "long":
      return message("StringValueTooLong", [show(value), String(wrong.max)]);
  }
}
