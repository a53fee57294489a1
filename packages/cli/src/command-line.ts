import { CommanderError } from 'commander'
import { exitCodes, explained } from './failures.ts'
import { printableLines } from './output/printable.ts'
import { programFor } from './program.ts'
import type { World } from './world.ts'

/** The script for bash asks this function of the package bash-completion, which not every machine has. */
const wordsForBash = `if ! declare -F _get_comp_words_by_ref > /dev/null; then
  _get_comp_words_by_ref() {
    words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
    cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
  }
fi
`

/** Carries out a command line. Resolves to the exit code; it never rejects. */
export async function runCommandLine(args: readonly string[], world: World): Promise<number> {
  const program = programFor(world)
  try {
    if (args[0] === 'complete') {
      const { default: addCompletion } = await import('@bomb.sh/tab/commander')
      if (args[1] === 'bash') world.stdout.write(wordsForBash)
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
