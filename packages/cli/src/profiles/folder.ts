import { posix, win32 } from 'node:path'
import type { World } from '../world.ts'

/** The folder in which this program keeps its profiles: where the system wants settings of a user's programs. */
export function settingsFolder({ env, platform, home }: Pick<World, 'env' | 'platform' | 'home'>): string {
  if (platform === 'win32') {
    return win32.join(env.APPDATA ?? win32.join(home, 'AppData', 'Roaming'), 'tickwright')
  }
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'tickwright')
  const { XDG_CONFIG_HOME: configured = '' } = env
  // The specification says that a relative path is invalid, and to be ignored.
  const base = posix.isAbsolute(configured) ? configured : posix.join(home, '.config')
  return posix.join(base, 'tickwright')
}
