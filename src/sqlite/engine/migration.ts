/** Moves what the tables of the versions before 8 have into those of the engine. */
import type { Connection } from '../connection.ts';

/** Runs inside a write transaction. */
export function moveRows(_connection: Connection, _now: number): void {}
