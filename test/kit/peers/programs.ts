/** The rich server in three implementations, each a program to start. */
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '../process/bundled-program.ts';

export interface Program {
  readonly command: string;
  readonly args: string[];
}

const fixture = (name: string): string => fileURLToPath(new URL(`programs/${name}`, import.meta.url));
const program = (...args: string[]): Program => ({ command: process.execPath, args });

/** Ours, bundled as a user would bundle it. */
export const ourServer = async (...args: string[]): Promise<Program> =>
  program(await bundledProgram('rich-server'), ...args);

export const v1Server = (): Program => program(fixture('v1-server.mjs'));
export const v2Server = (): Program => program(fixture('v2-server.mjs'));

/** A server published on npm. */
export const published = (name: string, ...args: string[]): Program =>
  program(
    fileURLToPath(new URL(`../../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url)),
    ...args,
  );
