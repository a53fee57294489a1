import { CommanderError } from 'commander'
import { exitCodes, explained } from './failures.ts'
import { printableLines } from './output/printable.ts'
import { programFor } from './program.ts'
import type { World } from './world.ts'

/** Carries out a command line. Resolves to the exit code; it never rejects. */
export async function runCommandLine(args: readonly string[], world: World): Promise<number> {
  const program = programFor(world)
  try {
    if (args[0] === 'complete') {
      const { default: addCompletion } = await import('@bomb.sh/tab/commander')
      addCompletion(program)
    } else
      program.command('complete <shell>').description('print the completion of bash, zsh, fish or powershell')
    await program.parseAsync([...args], { from: 'user' })
    return exitCodes.done
  } catch (error) {
    // Commander has written its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    const { message, exitCode } = explained(error)
    world.stderr.write(`${printableLines(message)}\n`)
    return exitCode
  }
}
