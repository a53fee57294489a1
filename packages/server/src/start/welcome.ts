import type { FirstStart } from '../accounts/administrator.ts'
import type { Example } from '../strategies/example.ts'

/** `token` belongs to a link that lets the administrator choose a password. */
export type Made = FirstStart & { token: string | undefined; example: Example | undefined }

/** The text that a first start prints once it listens. */
export function welcome(made: Made, address: string): string {
  const lines = [
    '',
    `Tickwright is ready at ${address} (API reference: ${address}/docs)`,
    '',
    ...credentials(made),
  ]
  if (made.token !== undefined) {
    lines.push(
      '',
      'Open this link to choose a password of your own, and to make a first trade on paper. It is valid once, for a day:',
      '',
      `  ${address}/reset#${made.token}`,
    )
  }
  if (made.example !== undefined) {
    lines.push(
      '',
      'An example strategy checks the simulated price every ten seconds, and a paper bot follows it.',
      'Trigger the example reaction, then watch the log for its signal and order:',
      '',
      `  ${made.example.openCurl}`,
      '',
      'A lower price closes the position:',
      '',
      `  ${made.example.closeCurl}`,
    )
  }
  return `${lines.join('\n')}\n\n`
}

/** The text for a first start that cannot listen: no later start knows the password and the secret. */
export function onlyCredentials(made: Made): string {
  return `${['', ...credentials(made)].join('\n')}\n\n`
}

/** The lines with the password and the secret. Nothing prints them again. */
function credentials({ email, password, apiKey }: Made): string[] {
  const lines = [`  administrator  ${email}`]
  if (password !== undefined) lines.push(`  password       ${password}`)
  if (apiKey !== undefined) {
    lines.push(`  API key        ${apiKey.key}`, `  API secret     ${apiKey.secret}`)
  }
  if (password !== undefined || apiKey !== undefined)
    lines.push('', '  Keep these: they are shown this once.')
  return lines
}
