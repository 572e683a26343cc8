/** The options of `captureToFile` and `serveReplay`. */
import type { RedactionOptions } from '../capture/options.ts';

/**
 * The options of `captureToFile`.
 * @area capture
 */
export interface CaptureFileOptions extends RedactionOptions {
  /**
   * The program that makes it, with its version.
   * @default 'tenon'
   */
  readonly by?: string;
}

/**
 * The options of `serveReplay`.
 * @area capture
 */
export interface ServeReplayOptions {
  /**
   * The port to listen on, of loopback only; 0 takes any free port.
   * @default 0
   * @rule port
   */
  readonly port?: number;
}
