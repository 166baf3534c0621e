/** What a BMC can do to the machine that it sits in. */
export interface Metal {
  on(): Promise<void>;
  /** Yank the power. */
  cut(): Promise<void>;
  /** Press the power button: ask the OS to shut down. A hung OS does nothing about it. */
  press(): Promise<void>;
  /** True while the machine has power and runs (a frozen one too). */
  isOn(): Promise<boolean>;
}

/** What a PDU can do to an outlet. */
export interface Feed {
  off(): Promise<void>;
  on(): Promise<void>;
  isOn(): Promise<boolean>;
}
