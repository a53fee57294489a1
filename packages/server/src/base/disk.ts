import { open, stat } from 'node:fs/promises'

/**
 * Whether there is something at a path.
 * @throws the error of the system, if it cannot tell
 */
export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
}

/** Resolves when a power cut can no longer undo what was created, renamed or deleted in a folder. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder)
  await handle.sync()
}
