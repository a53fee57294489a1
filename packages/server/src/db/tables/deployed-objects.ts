import { pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { moment, reference } from './columns.ts'

/** What users deploy from files, in the order in which it is saved: later kinds may refer to earlier ones. */
export const deployKinds = [
  'data-webhook',
  'bot-webhook',
  'code-strategy',
  'code-reaction',
  'llm-reaction',
  'llm-session',
  'signal-bot',
] as const
export type DeployKind = (typeof deployKinds)[number]

/**
 * What came by a deployment, and the revision that it then had. A deployment from a fresh clone knows no other revision to
 * start from. A project is the user's word for a folder of files, and `key` the name of the object there.
 */
export const deployedObjects = pgTable(
  'deployed_objects',
  {
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    project: text().notNull(),
    kind: text().$type<DeployKind>().notNull(),
    /** The id of the object. It may be gone, and no other gets it. */
    objectId: reference().notNull(),
    key: text().notNull(),
    revision: text().notNull(),
    deployedAt: moment().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.project, table.kind, table.objectId] }),
    unique('deployed_objects_key_unique').on(table.userId, table.project, table.kind, table.key),
  ],
)
