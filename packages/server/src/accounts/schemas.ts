import { Type } from 'typebox'
import type { User } from './user.ts'

/** Long enough for 1,024 bytes in any encoding. Where a password is set, `checkNewPassword` checks it. */
export const Password = Type.String({ minLength: 1, maxLength: 1024 })
export const NewPassword = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'At least 12 characters, at most 1,024 bytes.',
})
export const Email = Type.String({ minLength: 3, maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$' })
/** One address, also as mail servers read it, and never a list. */
export const NewEmail = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: '^[^\\s@,;:<>()\\[\\]"\\\\]+@[^\\s@,;:<>()\\[\\]"\\\\]+$',
})
export const Code = Type.String({
  minLength: 6,
  maxLength: 32,
  description: 'Six digits of the second factor, or a recovery code.',
})
export const LinkToken = Type.String({ maxLength: 100, description: 'The part of the link after #.' })
export const Role = Type.Union([Type.Literal('admin'), Type.Literal('user')])
export const UserName = Type.String({ maxLength: 255 })

export const userFields = {
  id: Type.Integer(),
  email: Type.String(),
  name: Type.String(),
  role: Role,
  status: Type.Union([Type.Literal('ACTIVE'), Type.Literal('DISABLED')]),
  created_at: Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' }),
}

export const UserRecord = Type.Object(userFields)

export function presentUser({ id, email, name, role, status, createdAt }: User) {
  return { id, email, name, role, status, created_at: createdAt.toISOString() }
}
