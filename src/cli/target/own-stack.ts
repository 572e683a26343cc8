/** The stack of an error without the frames of packages and of Node: only those of the user's own code. */

/** The most frames that are shown. */
const maxFrames = 5;

export function ownStack(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const lines = (error.stack ?? error.message).split('\n');
  const frames = lines.filter(isFrame).filter((line) => !/node_modules|\(?node:|<anonymous>\)?$/.test(line));
  return [...lines.filter((line) => !isFrame(line)), ...frames.slice(0, maxFrames)].join('\n').trimEnd();
}

const isFrame = (line: string): boolean => /^\s+at /.test(line);
