/** Captures on Node: everything that runs anywhere, files, and replays over HTTP. */

export * from '../../capture/index.ts';
export { type CaptureFile, type CaptureFileOptions, captureToFile } from '../capture-to-file.ts';
export { type ReplayService, type ServeReplayOptions, serveReplay } from '../serve-replay.ts';
