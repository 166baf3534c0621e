/** The roles that the standard defines, with the privileges that it gives them. Nobody can change them. */
export const roles = {
  Administrator: ["Login", "ConfigureManager", "ConfigureUsers", "ConfigureComponents", "ConfigureSelf"],
  Operator: ["Login", "ConfigureComponents", "ConfigureSelf"],
  ReadOnly: ["Login", "ConfigureSelf"],
} as const;

export type Role = keyof typeof roles;
export type Privilege = (typeof roles)[Role][number];
export const roleNames = ["Administrator", "Operator", "ReadOnly"] as const satisfies readonly Role[];

export const isRole = (name: unknown): name is Role => roleNames.some((role) => role === name);
export const privilegesOf = (role: Role): ReadonlySet<Privilege> => new Set<Privilege>(roles[role]);
