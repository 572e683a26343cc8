/** The deadlines of a client, host or connection, for tests only: not an option that users see. */
import { type Clock, createDeadlines, type Deadlines } from './deadlines.ts';

/** A registered symbol, so that it is the same in every entry point of the package. */
const key: unique symbol = Symbol.for('tenon.deadlines') as never;

/** To be spread into options: `connect(target, { timeoutMs: 5, ...withDeadlines(deadlines) })`. */
export const withDeadlines = (deadlines: Deadlines): object => ({ [key]: deadlines });

/** The same, with deadlines that follow a clock. */
export const withClock = (clock: Clock): object => withDeadlines(createDeadlines(clock));

/** The deadlines in options, if a test has set them. */
export const deadlinesIn = (options: object): Deadlines | undefined => (options as { [key]?: Deadlines })[key];
