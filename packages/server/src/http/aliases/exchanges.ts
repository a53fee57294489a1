import { type Aliases, type OtherNames, Untranslatable } from './alias.ts'
import { messageBeside } from './answers.ts'
import { renamed } from './names.ts'

const text = (description: string) => ({ type: 'string', maxLength: 8192, description })

/** Wallets have an address and a key that signs, instead of an API key and its secret. */
const publicKey: OtherNames = {
  names: {
    publicKey: text('Means `api_key`, or `wallet_address` or `uid` if the exchange requires that instead.'),
  },
  means: 'api_key',
  read: ({ publicKey: value }, { body, facts }) => ({
    [publicFieldOf(facts.credentialsOf(Number(body.exchange_id)))]: value,
  }),
}

const privateKey: OtherNames = {
  names: { privateKey: text('Means `api_secret`, or `private_key` if the exchange requires that instead.') },
  means: 'api_secret',
  read: ({ privateKey: value }, { body, facts }) => ({
    [secretFieldOf(facts.credentialsOf(Number(body.exchange_id)))]: value,
  }),
}

/** The one credential besides key and secret. Many scripts send an empty text where there is none. */
const extra: OtherNames = {
  names: { extra: text('Means the one credential that the exchange requires besides key and secret.') },
  means: 'password',
  read: ({ extra: value }, { body, facts }) => {
    if (value === '' || value === null) return {}
    const required = facts.credentialsOf(Number(body.exchange_id))
    const others = required.filter(
      (field) => field !== publicFieldOf(required) && field !== secretFieldOf(required),
    )
    const [only, ...more] = others
    if (only === undefined) throw new Untranslatable('extra', 'must be absent: the exchange requires no more')
    if (more.length > 0) {
      throw new Untranslatable('extra', `could mean several credentials: send ${others.join(' and ')}`)
    }
    return { [only]: value }
  },
}

/** The credential that names the account. */
function publicFieldOf(required: readonly string[]): string {
  return ['api_key', 'wallet_address', 'uid'].find((field) => required.includes(field)) ?? 'api_key'
}

/** The credential that signs. */
function secretFieldOf(required: readonly string[]): string {
  return ['api_secret', 'private_key'].find((field) => required.includes(field)) ?? 'api_secret'
}

// The exchange first: it decides what the others mean.
const account = [renamed('exchangeId', 'exchange_id'), publicKey, privateKey, extra]

/** Connections to exchanges. */
export const exchanges: Aliases = {
  operations: {
    'POST /api/exchange': { body: account },
    'POST /api/exchange/test': { body: account },
    'PUT /api/exchange/:id/status': { answer: messageBeside },
  },
  paths: {},
}
