/** Where Claude, Cursor, VS Code, Gemini and a project write their servers. */
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import type { Io } from '../io/io.ts';

export type ConfigClient = 'project' | 'claude-code' | 'claude-desktop' | 'cursor' | 'vscode' | 'gemini';

export interface ConfigFile {
  readonly client: ConfigClient;
  readonly scope: 'project' | 'user';
  readonly path: string;
  /** The name of the field with the servers. */
  readonly field: 'mcpServers' | 'servers';
}

/** The files in the order in which a name is searched: those of the project first. */
export function configFiles({ cwd, env }: Pick<Io, 'cwd' | 'env'>, platform = process.platform): ConfigFile[] {
  const { join } = platform === 'win32' ? win32 : posix;
  const home = env.HOME ?? homedir();
  const settings = settingsFolder(home, env, platform);
  const project = (client: ConfigClient, path: string, field: ConfigFile['field'] = 'mcpServers'): ConfigFile => ({
    client,
    scope: 'project',
    path: join(cwd, path),
    field,
  });
  const user = (client: ConfigClient, path: string, field: ConfigFile['field'] = 'mcpServers'): ConfigFile => ({
    client,
    scope: 'user',
    path,
    field,
  });
  return [
    project('project', '.mcp.json'),
    project('cursor', '.cursor/mcp.json'),
    project('vscode', '.vscode/mcp.json', 'servers'),
    project('gemini', '.gemini/settings.json'),
    user('claude-code', join(home, '.claude.json')),
    user('claude-desktop', join(settings, 'Claude', 'claude_desktop_config.json')),
    user('cursor', join(home, '.cursor', 'mcp.json')),
    user('vscode', join(settings, 'Code', 'User', 'mcp.json'), 'servers'),
    user('gemini', join(home, '.gemini', 'settings.json')),
  ];
}

/** Where programs of a user store their settings. */
function settingsFolder(home: string, env: Io['env'], platform: NodeJS.Platform): string {
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA ?? win32.join(home, 'AppData', 'Roaming');
  return env.XDG_CONFIG_HOME ?? posix.join(home, '.config');
}
