/** The lab that a command means when none is named. In a file of its own: describing a command must not load the lab. */
export const defaultLab = "duet";
