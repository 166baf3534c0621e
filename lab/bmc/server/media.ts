/** Whether an Accept header takes this media type. Without one everything is taken. */
export function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined || header.trim() === "") return true;
  const [family = ""] = type.split("/");
  return header.split(",").some((one) => {
    const [range = "", ...parameters] = one.split(";").map((part) => part.trim().toLowerCase());
    if (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) return false;
    return range === "*/*" || range === `${family}/*` || range === type;
  });
}

/** A body without a type is taken for JSON: real BMCs do, and some clients send none. */
export function isJsonBody(header: string | undefined): boolean {
  if (header === undefined) return true;
  return header.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}
