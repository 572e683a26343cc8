/** Node's built-in modules, loaded when they are used: an import would delay the start of a stdio server. */
import type * as buffer from 'node:buffer';
import type * as crypto from 'node:crypto';
import type * as fs from 'node:fs';
import type * as files from 'node:fs/promises';
import type * as os from 'node:os';
import type * as path from 'node:path';

export const bufferModule = (): typeof buffer => process.getBuiltinModule('node:buffer');
export const cryptoModule = (): typeof crypto => process.getBuiltinModule('node:crypto');
export const fsModule = (): typeof fs => process.getBuiltinModule('node:fs');
export const filesModule = (): typeof files => process.getBuiltinModule('node:fs/promises');
export const osModule = (): typeof os => process.getBuiltinModule('node:os');
export const pathModule = (): typeof path => process.getBuiltinModule('node:path');

/** The rules for paths of a platform. */
export const pathsOf = (platform: NodeJS.Platform): path.PlatformPath =>
  platform === 'win32' ? pathModule().win32 : pathModule().posix;
