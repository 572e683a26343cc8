/** Reads the command line: topics, each with a word of its own where it takes one, and `--json` and `--short`. */

/**
 * A topic is `{ word, options, onlyByName }`: what the word after its name is, and which options it has. Returns
 * `{ runs, json, short }`, where a run is `{ name, word }`. Without names these are all topics but those that run only by name.
 */
export function readArguments(args, topics) {
  const options = args.filter((arg) => arg.startsWith('--')).map((arg) => arg.slice(2));
  const named = readTopics(
    args.filter((arg) => !arg.startsWith('--')),
    topics,
  );
  const all = Object.keys(topics).filter((name) => topics[name].onlyByName !== true);
  const runs = named.length > 0 ? named : all.map((name) => ({ name }));
  for (const option of options)
    for (const { name } of runs)
      if (topics[name].options?.includes(option) !== true)
        throw new Error(`bench: ${name} has no option --${option}; ${havingOption(option, topics)}`);
  return { runs, json: options.includes('json'), short: options.includes('short') };
}

function readTopics(words, topics) {
  const runs = [];
  for (const word of words) {
    const last = runs.at(-1);
    if (Object.hasOwn(topics, word)) runs.push({ name: word });
    else if (last !== undefined && last.word === undefined && topics[last.name].word !== undefined) last.word = word;
    else
      throw new Error(
        `bench: unknown topic ${word}; the topics are ${Object.keys(topics).map(shown(topics)).join(', ')}`,
      );
  }
  return runs;
}

const shown = (topics) => (name) => (topics[name].word === undefined ? name : `${name} [${topics[name].word}]`);

function havingOption(option, topics) {
  const names = Object.keys(topics).filter((name) => topics[name].options?.includes(option));
  return names.length > 0 ? `these have it: ${names.join(', ')}` : 'the options are --json and --short';
}
