/** An error of the user's own code, with the places in it: not those of packages, or of Node. */

/** The most places that are shown. */
const maxPlaces = 5;

export function ownStack(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const lines = (error.stack ?? error.message).split('\n');
  const places = lines.filter(isPlace).filter((line) => !/node_modules|\(?node:|<anonymous>\)?$/.test(line));
  return [...lines.filter((line) => !isPlace(line)), ...places.slice(0, maxPlaces)].join('\n').trimEnd();
}

const isPlace = (line: string): boolean => /^\s+at /.test(line);
