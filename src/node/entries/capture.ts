/** Captures on Node: everything that runs anywhere, files, and replays over HTTP. */

export * from '../../capture/index.ts';
export type { CaptureFileOptions, ServeReplayOptions } from '../capture-options.ts';
export { type CaptureFile, captureToFile } from '../capture-to-file.ts';
export { type ReplayService, serveReplay } from '../serve-replay.ts';
