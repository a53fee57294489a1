import type { users } from '../db/schema.ts'

/** As it is stored; never to be shown as a whole. */
export type StoredUser = typeof users.$inferSelect
export type User = Omit<StoredUser, 'passwordHash'>
export type UserRole = User['role']
export type UserStatus = User['status']

/** E-mail addresses differ by more than case nowhere that matters. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase()
}
