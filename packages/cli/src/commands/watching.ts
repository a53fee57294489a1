import { type FSWatcher, watch as watchFiles } from 'node:fs'
import { sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { confirmChange } from '../ask.ts'
import type { Context } from '../context.ts'
import { explained } from '../failures.ts'
import { folders } from '../files/layout.ts'
import { projectRoot } from '../files/project.ts'
import { pushInactive } from './push.ts'
import { show, testsOf } from './testing.ts'

/** A save of several files is one change. */
const calmMs = 200

/**
 * Tests the files of a project on each save and, if no test differs, pushes those that differ from the service and are
 * not active there. What is active stays as it is until somebody pushes it.
 */
export async function watch(context: Context): Promise<void> {
  const root = await projectRoot(context.world.cwd)
  await confirmChange(context, 'push each save to what is not active')
  const changes = new Changes(root)
  try {
    context.out.say(`Watching ${root}. End with Ctrl-C.`)
    for (;;) {
      await round(context)
      await changes.next()
    }
  } finally {
    changes.end()
  }
}

/** Whatever is wrong with the files or the service is said, and the next save tries again. */
async function round(context: Context): Promise<void> {
  try {
    const done = await testsOf(context)
    if (done.length > 0) show(context, done)
    const differing = done.filter(({ same }) => !same)
    if (differing.length > 0)
      context.out.say(`${differing.length} of ${done.length} tests differ: nothing is pushed.`)
    else await pushInactive(context)
  } catch (error) {
    context.out.say(explained(error).message)
  }
}

/** Changes of the files of a project. */
class Changes {
  readonly #watcher: FSWatcher
  #change = Promise.withResolvers<void>()

  constructor(root: string) {
    this.#watcher = watchFiles(root, { recursive: true }, (_, name) => {
      if (name !== null && isOfProject(name)) this.#change.resolve()
    })
    this.#watcher.on('error', (error) => {
      // Also while nobody waits for a change.
      this.#change.promise.catch(() => undefined)
      this.#change.reject(error)
    })
  }

  /** Resolves after the next save, or at once if there was one since. @throws if the files cannot be watched any more */
  async next(): Promise<void> {
    await this.#change.promise
    await sleep(calmMs)
    this.#change = Promise.withResolvers()
  }

  end(): void {
    this.#watcher.close()
  }
}

/** Not of `.git`, nor what this program writes itself. */
function isOfProject(name: string): boolean {
  const [first = ''] = name.split(sep)
  return first === 'tests' || folders.some((folder) => folder === first)
}
