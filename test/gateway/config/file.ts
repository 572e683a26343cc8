/** A folder with the files of a gateway. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type GatewayConfig, readConfig } from '../../../src/gateway/config/read-config.ts';

export interface Folder {
  readonly path: string;
  /** Writes a file, readable by its owner only. */
  write(name: string, text: string, mode?: number): string;
}

export function folderWith(files: Readonly<Record<string, string>> = {}): Folder {
  const path = mkdtempSync(join(tmpdir(), 'tenon-gateway-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const write: Folder['write'] = (name, text, mode = 0o600) => {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { path, write };
}

/** Reads `gateway.yaml` of a new folder, beside other files. */
export function configOf(
  text: string,
  env: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<GatewayConfig> {
  const { path } = folderWith({ ...files, 'gateway.yaml': text });
  return readConfig(join(path, 'gateway.yaml'), 'gateway.yaml', env);
}
