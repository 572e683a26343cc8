/** Node's built-in modules, loaded when they are used: an import would delay the start of a stdio server. */
import type * as buffer from 'node:buffer';
import type * as fs from 'node:fs';
import type * as path from 'node:path';

export const bufferModule = (): typeof buffer => process.getBuiltinModule('node:buffer');
export const fsModule = (): typeof fs => process.getBuiltinModule('node:fs');
export const pathModule = (): typeof path => process.getBuiltinModule('node:path');
