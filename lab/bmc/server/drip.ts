import type { Socket } from "node:net";
import { setTimeout as timer } from "node:timers/promises";

/** One byte a second, for as long as the client stays. */
export async function drip(socket: Socket, text: string, every_ms = 1_000): Promise<void> {
  for (const byte of Buffer.from(text)) {
    if (socket.destroyed || !socket.writable) return;
    socket.write(Uint8Array.of(byte));
    await timer(every_ms, undefined, { ref: false });
  }
  socket.end();
}
