/** The official server as a server of Tenon: every protocol version, and policy.yaml decides who may do what. */
import { fileURLToPath } from 'node:url';
import { guard } from 'tenon/guard';
import { fromOfficial } from 'tenon/official';
import { createMcpServer } from './official.ts';

const policy = fileURLToPath(new URL('../policy.yaml', import.meta.url));

// A function: each session gets an official server of its own.
export default await fromOfficial(() => createMcpServer(), { guard: guard({ policy }) });
