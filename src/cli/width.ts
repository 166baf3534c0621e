const width_default = 80;
const width_min = 40;
const width_max = 120;

/** Of the terminal that is there, as far as text reads well in it. */
export const terminalWidth = (): number =>
  Math.max(width_min, Math.min(process.stdout.columns ?? width_default, width_max));
