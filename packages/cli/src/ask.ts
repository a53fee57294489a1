import type { Connection, Context } from './context.ts'
import { exitCodes, Failure, wrongUse } from './failures.ts'
import { printable } from './output/printable.ts'
import type { World } from './world.ts'

/** Whether somebody sits there to answer. Without, nothing is ever asked. */
export function canAsk({ stdin, stderr }: World): boolean {
  return stdin.isTTY === true && stderr.isTTY === true
}

/**
 * Asks for a text. @param instead what a script does instead, for the message without a terminal
 * @throws {Failure} without a terminal, or if the person calls it off
 */
export async function askText(world: World, question: string, instead: string): Promise<string> {
  const { text } = await prompts(world, question, instead)
  return answerOf(await text({ message: printable(question), ...streams(world) }))
}

/** Like `askText`, but shows nothing of the text. */
export async function askSecret(world: World, question: string, instead: string): Promise<string> {
  const { password } = await prompts(world, question, instead)
  return answerOf(await password({ message: printable(question), ...streams(world) }))
}

/**
 * Asks before a command changes something, if that may be the wrong service or cost money. `--yes` answers.
 * @param change what the command is about to do: 'switch on bot 3 “Follower”'
 * @param risk why this is asked outside of production, too, such as live bots; `undefined` if there is no reason
 * @param known the service, if it is not that of the context
 * @throws {Failure} if the person says no, or without a terminal and without `--yes`
 */
export async function confirmChange(
  context: Context,
  change: string,
  risk?: string,
  known?: Pick<Connection, 'profileName' | 'url' | 'isProduction'>,
): Promise<void> {
  const { profileName, url, isProduction } = known ?? (await context.connection())
  if (context.options.yes === true || (!isProduction && risk === undefined)) return
  const place = `${profileName ?? 'production'} (${url})`
  const reason = risk === undefined ? '' : ` ${risk}`
  const { confirm } = await prompts(
    context.world,
    `${place}: ${change}.${reason}`,
    'To do it without a question, add --yes.',
  )
  const message = printable(`${place}: ${change}?${reason}`)
  const answered = await confirm({ message, initialValue: false, ...streams(context.world) })
  if (answered !== true) throw new Failure('Nothing was changed.')
}

/** The whole standard input. @throws {Failure} at a terminal, where it would wait for an end that nobody types */
export async function inputOf(world: World): Promise<string> {
  if (world.stdin.isTTY === true)
    throw wrongUse('The standard input is a terminal: there is nothing to read.')
  const most = 1_000_000
  let text = ''
  for await (const part of world.stdin.setEncoding('utf8')) {
    text += part
    if (text.length > most) throw wrongUse(`The standard input has more than ${most} characters.`)
  }
  return text
}

async function prompts(world: World, question: string, instead: string) {
  if (!canAsk(world)) throw new Failure(`${question} Nobody can be asked here. ${instead}`, exitCodes.usage)
  return await import('@clack/prompts')
}

/** Questions are messages: the standard output is for data. */
function streams({ stdin, stderr }: World) {
  return { input: stdin, output: stderr }
}

function answerOf(answered: string | symbol): string {
  if (typeof answered === 'string') return answered
  throw new Failure('Nothing was changed.')
}
