/** Reads a Dockerfile, and runs its steps in empty folders: each stage is a folder, with this machine's Node and npm. */
import { cp, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The name of an instruction, and what follows it on its lines. */
export type Instruction = readonly [name: string, text: string];

export const instructionsOf = (dockerfile: string): Instruction[] =>
  dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Instruction => {
      const [, name = '', text = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
      return [name, text];
    });

/** What the last stage leaves. */
export interface Image {
  /** Its root folder. */
  readonly root: string;
  /** The working directory in it. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly command: readonly string[];
}

interface Building {
  /** Where the folders of the stages are made. */
  readonly folder: string;
  /** The files beside the Dockerfile. */
  readonly context: string;
  /** Runs a line of a shell; rejects if it fails. */
  run(line: string, folder: string): Promise<unknown>;
}

export async function buildImage(dockerfile: string, { folder, context, run }: Building): Promise<Image> {
  const stages = new Map<string, string>();
  let image = { root: '', folder: '', env: {}, user: undefined, command: [] } as Image;
  const steps: Record<string, (text: string) => Promise<unknown> | void> = {
    async FROM(text) {
      const [, name = 'last'] = / AS (\S+)$/.exec(text) ?? [];
      const root = join(folder, name);
      await mkdir(root);
      stages.set(name, root);
      image = { root, folder: root, env: {}, user: undefined, command: [] };
    },
    async WORKDIR(text) {
      image = { ...image, folder: join(image.root, text) };
      await mkdir(image.folder, { recursive: true });
    },
    ENV(text) {
      const added = text.split(' ').map((pair) => pair.split('=') as [string, string]);
      image = { ...image, env: { ...image.env, ...Object.fromEntries(added) } };
    },
    async COPY(text) {
      const [, stage, files = text] = /^--from=(\S+) (.*)$/.exec(text) ?? [];
      const names = files.split(' ');
      const target = join(image.folder, names.pop() ?? '');
      const isFolder = files.endsWith('/');
      const from = stage === undefined ? context : stages.get(stage);
      if (from === undefined) throw new Error(`There is no stage "${stage}".`);
      for (const name of names) {
        const to = isFolder ? join(target, basename(name)) : target;
        await mkdir(dirname(to), { recursive: true });
        await cp(join(from, name), to, { recursive: true, verbatimSymlinks: true });
      }
    },
    RUN: (text) => run(text, image.folder),
    USER: (text) => void (image = { ...image, user: text }),
    CMD: (text) => void (image = { ...image, command: JSON.parse(text) as string[] }),
    EXPOSE() {},
    HEALTHCHECK() {},
  };
  for (const [name, text] of instructionsOf(dockerfile)) {
    const step = steps[name];
    if (step === undefined) throw new Error(`No step for ${name} ${text}`);
    await step(text);
  }
  return image;
}
