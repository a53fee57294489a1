import { serviceOrigin } from '../address.ts'
import { askSecret, askText, confirmChange, inputOf } from '../ask.ts'
import type { Context } from '../context.ts'
import { exitCodes, Failure, wrongUse } from '../failures.ts'
import { type Profile, profileName } from '../profiles/profiles.ts'
import { type SignedIn, signIn } from '../sign-in.ts'

export type LoginOptions = { email?: string; passwordStdin?: boolean; production?: boolean }

/**
 * Signs in with a password, makes an API key for this machine, keeps it in a profile, and signs out again. If the
 * profile cannot be stored, the key is revoked, so that no key is left that nobody has.
 */
export async function login(
  context: Context,
  address: string | undefined,
  options: LoginOptions,
): Promise<void> {
  const { world, out, profiles } = context
  const name = profileName(context.options.profile ?? (await profiles.current()) ?? 'default')
  const former = await profiles.read(name)
  const url = serviceOrigin(address ?? former?.url ?? (await askAddress(context)))
  if (former !== undefined && former.url !== url) {
    throw wrongUse(
      `The profile '${name}' belongs to ${former.url}. For ${url}, name another: --profile NAME. Or sign out first: tickwright logout`,
    )
  }
  const session = await signedIn(context, url, options)
  try {
    const key = await session.makeKey(`tickwright on ${world.hostname}`.slice(0, 255))
    const production = options.production ?? former?.production ?? name === 'production'
    const profile: Profile = { url, email: session.email, ...key, production }
    try {
      await profiles.save(name, profile)
      await profiles.use(name)
    } catch (error) {
      await session.revokeKey(key.apiKeyId)
      throw error
    }
    // Another user may have signed in before, whose key this session cannot revoke.
    if (former?.email === session.email) await session.revokeKey(former.apiKeyId)
    const shown = { profile: name, url, email: session.email, api_key_id: key.apiKeyId, production }
    out.record(shown, [
      ['profile', name],
      ['service', url],
      ['user', session.email],
      ['production', production ? 'yes: changes are confirmed first' : 'no'],
    ])
  } finally {
    await session.end()
  }
}

/** Revokes the key of this machine, then forgets it. */
export async function logout(context: Context, options: { force?: boolean }): Promise<void> {
  const { out, profiles } = context
  const name = await context.namedProfile()
  const profile = name === undefined ? undefined : await profiles.read(name)
  if (name === undefined || profile === undefined) throw wrongUse('You are not signed in.')
  const { createApiClient } = await import('@tickwright/client')
  const { url, apiKey, apiSecret, apiKeyId, production } = profile
  const client = createApiClient({ baseUrl: serviceOrigin(url), apiKey, apiSecret })
  const connection = { client, url, profileName: name, isProduction: production }
  await confirmChange(
    context,
    `sign out, and revoke the API key ${apiKeyId} of this machine`,
    undefined,
    connection,
  )
  try {
    await client.apiKeys.delete(apiKeyId)
    out.say(`Revoked the API key ${apiKeyId} at ${url}.`)
  } catch (error) {
    const { status } = error as { status?: number }
    if (status === 401 || status === 404) out.say(`The API key ${apiKeyId} was already revoked.`)
    else if (options.force !== true) {
      throw new Failure(
        `${(error as Error).message} The key was not revoked, and the profile stays. With --force, the profile goes and the key stays valid until you revoke it elsewhere.`,
        status === undefined ? exitCodes.unreachable : exitCodes.refused,
      )
    } else out.say(`The API key ${apiKeyId} is still valid at ${url}. Revoke it there.`)
  }
  await profiles.delete(name)
}

/** Lists the profiles, or makes one of them the current one. */
export async function profile(
  context: Context,
  chosen: string | undefined,
  options: { production?: boolean },
): Promise<void> {
  const { out, profiles } = context
  if (chosen !== undefined) await changeProfile(context, profileName(chosen), options.production)
  else if (options.production !== undefined)
    throw wrongUse('Name the profile: tickwright profile NAME --production')
  const current = await profiles.current()
  const rows = []
  for (const name of await profiles.names()) {
    const { url, email, apiKeyId, production } = (await profiles.read(name))!
    rows.push({ name, current: name === current, url, email, api_key_id: apiKeyId, production })
  }
  out.rows(
    [
      { title: '', value: (row) => (row.current ? '*' : ' ') },
      { title: 'profile', value: (row) => row.name },
      { title: 'service', value: (row) => row.url },
      { title: 'user', value: (row) => row.email },
      { title: 'production', value: (row) => (row.production ? 'yes' : 'no') },
    ],
    rows,
    'You have no profile. Run: tickwright login https://…',
  )
}

/** Asks the service who this is. */
export async function whoami(context: Context): Promise<void> {
  const { client, url, profileName, isProduction } = await context.connection()
  const me = await client.users.me()
  context.out.record({ profile: profileName ?? null, url, production: isProduction, user: me }, [
    ['user', `${me.email} (${me.id})`],
    ['role', me.role],
    ['second factor', me.totp ? 'on' : 'off'],
    ['service', url],
    ['profile', profileName ?? 'none: TICKWRIGHT_URL and the key come from the environment'],
    ['production', isProduction ? 'yes' : 'no'],
  ])
}

async function changeProfile(context: Context, name: string, production: boolean | undefined): Promise<void> {
  const { profiles } = context
  const stored = await profiles.read(name)
  if (stored === undefined) throw wrongUse(`There is no profile '${name}'.`)
  if (production !== undefined && production !== stored.production) {
    if (!production) {
      const { url } = stored
      const connection = { url, profileName: name, isProduction: true }
      await confirmChange(context, 'no longer ask before changes', undefined, connection)
    }
    await profiles.save(name, { ...stored, production })
  }
  await profiles.use(name)
}

function askAddress({ world }: Context): Promise<string> {
  return askText(world, 'Address of the service', 'Name it: tickwright login https://trading.example.com')
}

async function signedIn({ world }: Context, url: string, options: LoginOptions): Promise<SignedIn> {
  const [first = '', second = ''] =
    options.passwordStdin === true ? (await inputOf(world)).split(/\r?\n/) : []
  const email = options.email ?? (await askText(world, 'E-mail address', 'Name it with --email.'))
  const instead = 'Pass it with --password-stdin.'
  const password = options.passwordStdin === true ? first : await askSecret(world, 'Password', instead)
  const askCode = async () =>
    second ||
    (await askText(world, 'Code of the second factor', 'Pass it as the second line of --password-stdin.'))
  return signIn({ url, email, password, askCode })
}
