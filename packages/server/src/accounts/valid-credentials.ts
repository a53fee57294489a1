import type { Database } from '../db/database.ts'
import type { CredentialCheck } from '../live/credential-checks.ts'
import { aliveSql } from './sessions.ts'

const validSql = `
select 'session', s.id::text, ''
from sessions s join users u on u.id = s.user_id
where s.id = any($1::bigint[]) and u.status = 'ACTIVE' and ${aliveSql('s')}
union all
select 'key', k.id::text, coalesce(extract(epoch from k.rotated_at)::text, 'first')
from api_keys k join users u on u.id = k.user_id
where k.id = any($2::bigint[]) and u.status = 'ACTIVE'`

/** Reads which sessions and API keys let their users in now. Each new secret gives a key another version. */
export function credentialCheck(database: Database): CredentialCheck {
  const read = database.prepare('valid_credentials', validSql)
  return async (sessionIds, keyIds) => {
    const rows = await read([`{${sessionIds.join()}}`, `{${keyIds.join()}}`])
    const sessions = rows.filter(([what]) => what === 'session')
    const keys = rows.filter(([what]) => what === 'key')
    return {
      sessions: new Set(sessions.map(([, id]) => Number(id))),
      keys: new Map(keys.map(([, id, version]) => [Number(id), version!])),
    }
  }
}
