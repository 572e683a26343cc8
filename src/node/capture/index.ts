/** Captures on Node: everything that runs anywhere, and files. */

export * from '../../capture/index.ts';
export { type CaptureFile, type CaptureFileOptions, captureToFile } from './capture-to-file.ts';
