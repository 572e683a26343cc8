/** What `npm pack` puts into the tarball, without writing one. */
import { execFileSync } from 'node:child_process';
import { root } from '../architecture/source-tree.ts';

export interface PackedFiles {
  /** From the root of the repository. */
  readonly files: readonly string[];
  readonly tarballBytes: number;
  readonly unpackedBytes: number;
}

interface Listed {
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

export function packedFiles(): PackedFiles {
  const printed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    stdio: 'pipe',
  });
  const [{ size, unpackedSize, files }] = JSON.parse(printed.toString()) as [Listed];
  return { files: files.map(({ path }) => path), tarballBytes: size, unpackedBytes: unpackedSize };
}
