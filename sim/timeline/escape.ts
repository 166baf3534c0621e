const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** For text and for attributes in quotes. A page is also made of what a run was given: names, files, sentences. */
export const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? "");
