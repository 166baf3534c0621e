import type { Json, JsonObject } from "./json.ts";

type Severity = "OK" | "Warning" | "Critical";
interface Definition {
  readonly text: string;
  readonly severity: Severity;
  readonly resolution: string;
}

/** The registry's version that the ids and arguments below follow. */
export const registryVersion = "1.19.0";
const prefix = `Base.${registryVersion.split(".").slice(0, 2).join(".")}`;

const define = (text: string, severity: Severity, resolution: string): Definition => ({
  text,
  severity,
  resolution,
});

/** The messages of the standard's Base registry that this service sends: its ids and arguments, our words. */
export const definitions = {
  Success: define("The request was carried out.", "OK", "None."),
  NoOperation: define("The request holds nothing to act upon.", "Warning", "Name a property to change."),
  EmptyJSON: define("The request body is an empty object.", "Warning", "Put what you want into the body."),
  MalformedJSON: define("The request body is not JSON.", "Critical", "Send a JSON object."),
  UnrecognizedRequestBody: define(
    "The request body is not of a kind that this service reads.",
    "Warning",
    "Send an object as application/json.",
  ),
  PayloadTooLarge: define("The request body is too long.", "Critical", "Send a shorter one."),
  PropertyUnknown: define("The resource has no property %1.", "Warning", "Leave the property out."),
  PropertyNotWritable: define("The property %1 is read-only.", "Warning", "Leave the property out."),
  PropertyMissing: define("The property %1 is missing.", "Warning", "Add the property."),
  PropertyValueTypeError: define(
    "The value '%1' is of the wrong type for the property %2.",
    "Warning",
    "Send a value of the right type.",
  ),
  PropertyValueFormatError: define(
    "The value '%1' is of the wrong form for the property %2.",
    "Warning",
    "Send a value of the right form.",
  ),
  PropertyValueNotInList: define(
    "The value '%1' is none of those that the property %2 takes.",
    "Warning",
    "Choose one of the allowable values.",
  ),
  PropertyValueOutOfRange: define(
    "The value '%1' is outside the range of the property %2.",
    "Warning",
    "Send a value within the range.",
  ),
  StringValueTooLong: define(
    "The string '%1' is longer than %2 characters.",
    "Warning",
    "Send a shorter string.",
  ),
  ArraySizeTooLong: define("The array %1 has more than %2 members.", "Warning", "Send a shorter array."),
  ActionParameterMissing: define(
    "The action %1 needs the parameter %2.",
    "Critical",
    "Add the parameter to the body.",
  ),
  ActionParameterUnknown: define("The action %1 has no parameter %2.", "Warning", "Leave the parameter out."),
  ActionParameterValueTypeError: define(
    "The value '%1' is of the wrong type for the parameter %2 of the action %3.",
    "Warning",
    "Send a value of the right type.",
  ),
  ActionParameterValueFormatError: define(
    "The value '%1' is of the wrong form for the parameter %2 of the action %3.",
    "Warning",
    "Send a value of the right form.",
  ),
  ActionParameterValueNotInList: define(
    "The value '%1' is none of those that the parameter %2 of the action %3 takes.",
    "Warning",
    "Choose one of the allowable values.",
  ),
  QueryParameterValueFormatError: define(
    "The value '%1' is of the wrong form for the query parameter %2.",
    "Warning",
    "Correct the query parameter.",
  ),
  QueryParameterUnsupported: define(
    "The query parameter '%1' is not supported.",
    "Warning",
    "Leave the query parameter out.",
  ),
  QueryNotSupportedOnResource: define(
    "This resource takes no such query.",
    "Warning",
    "Leave the query parameter out.",
  ),
  QueryNotSupportedOnOperation: define(
    "This operation takes no query.",
    "Warning",
    "Leave the query parameter out.",
  ),
  SessionLimitExceeded: define(
    "No session was created: as many as this service holds exist already.",
    "Critical",
    "End a session first.",
  ),
  CreateLimitReachedForResource: define(
    "Nothing was created: as many as this service holds exist already.",
    "Critical",
    "Delete one first.",
  ),
  ResourceAlreadyExists: define(
    "A resource of type %1 whose %2 is '%3' exists already.",
    "Critical",
    "Choose another value.",
  ),
  ResourceCannotBeDeleted: define("This resource can't be deleted.", "Critical", "Leave it."),
  ResourceInUse: define("The resource is in use or in transition.", "Warning", "Try again later."),
  ResourceInStandby: define("The resource is off.", "Critical", "Switch it on first."),
  ResourceMissingAtURI: define("There is no resource at '%1'.", "Critical", "Correct the address."),
  NoValidSession: define("There is no valid login.", "Critical", "Log in."),
  InsufficientPrivilege: define(
    "This account may not do that.",
    "Critical",
    "Log in with an account that may.",
  ),
  OperationNotAllowed: define(
    "This resource does not take this method.",
    "Critical",
    "Use a method of the Allow header.",
  ),
  PreconditionFailed: define(
    "The resource is no longer as the request's header says.",
    "Critical",
    "Read the resource again and decide again.",
  ),
  HeaderInvalid: define("The header '%1' is invalid.", "Critical", "Correct the header."),
  InternalError: define("The service failed inside.", "Critical", "Try again; if it stays, reset the BMC."),
} as const satisfies Record<string, Definition>;
export type MessageId = keyof typeof definitions;

export interface Message {
  readonly id: MessageId;
  readonly args: readonly string[];
  /** Properties that the message is about, as JSON pointers. */
  readonly about: readonly string[];
}

export const message = (
  id: MessageId,
  args: readonly string[] = [],
  about: readonly string[] = [],
): Message => ({
  id,
  args,
  about,
});

const fill = (text: string, args: readonly string[]): string =>
  text.replace(/%(\d)/g, (_, digit: string) => args[Number(digit) - 1] ?? "");

export function extendedInfo(m: Message): JsonObject {
  const { text, severity, resolution } = definitions[m.id];
  return {
    "@odata.type": "#Message.v1_2_1.Message",
    MessageId: `${prefix}.${m.id}`,
    Message: fill(text, m.args),
    MessageArgs: m.args,
    // The older name too: it is what older clients look for.
    Severity: severity,
    MessageSeverity: severity,
    Resolution: resolution,
    ...(m.about.length === 0 ? {} : { RelatedProperties: m.about }),
  };
}

/** The body of an error answer (DSP0266, "Error responses"). */
export function errorBody(messages: readonly Message[]): JsonObject {
  const infos: readonly Json[] = messages.map(extendedInfo);
  const [first] = messages;
  const one = messages.length === 1 && first !== undefined;
  return {
    error: {
      code: one ? `${prefix}.${first.id}` : `${prefix}.GeneralError`,
      message: one ? fill(definitions[first.id].text, first.args) : "See @Message.ExtendedInfo.",
      "@Message.ExtendedInfo": infos,
    },
  };
}
