/** The example that a first start creates, and that newcomers can set up themselves. Its parts are known by their names. */

/** The name of its data webhook, reaction, bot webhook and bot. */
export const exampleName = 'Example'

/** The strategy that only a first start creates beside it. */
const scheduledName = 'Example on the simulated market'

/** Whether a strategy or reaction belongs to the example, and is not the user's own. */
export function isOfExample({ name }: { name: string }): boolean {
  return name === exampleName || name === scheduledName
}
