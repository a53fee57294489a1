import type { Mail, Mailer } from '../mail/mailer.ts'

/** What accounts need of it. */
export type AccountMailer = Pick<Mailer, 'send' | 'told'>

type Addressee = { id: number; email: string }

const ignore = 'If you did not ask for it, you need not do anything.'

export function resetMail({ id, email }: Addressee, link: string): Mail {
  return {
    userId: id,
    to: email,
    kind: 'reset',
    subject: 'Set a new password',
    text: `Somebody, probably you, asked for a new password. Set it here within an hour:\n\n${link}\n\n${ignore} Your password stays as it is.\n`,
  }
}

export function invitationMail(email: string, link: string): Mail {
  return {
    userId: null,
    to: email,
    kind: 'invitation',
    subject: 'You are invited to Tickwright',
    text: `You are invited to use this Tickwright. Choose a password here within seven days:\n\n${link}\n\nIf you did not expect it, you need not do anything.\n`,
  }
}

export function signUpMail(email: string, link: string): Mail {
  return {
    userId: null,
    to: email,
    kind: 'confirmation',
    subject: 'Go on with your Tickwright account',
    text: `Somebody, probably you, wants an account with this address. Choose a password here within seven days:\n\n${link}\n\n${ignore} Then there will be no account.\n`,
  }
}

export function knownAddressMail({ id, email }: Addressee, publicUrl: string): Mail {
  return {
    userId: id,
    to: email,
    kind: 'confirmation',
    subject: 'You have a Tickwright account',
    text: `Somebody, probably you, wanted an account with this address, and you have one. Sign in with it. If you have forgotten its password, set a new one here:\n\n${publicUrl}/reset\n\n${ignore}\n`,
  }
}

export function lockedMail({ id, email }: Addressee, ip: string): Mail {
  return {
    userId: id,
    to: email,
    kind: 'locked',
    subject: 'Wrong passwords for your account',
    text: `Several wrong passwords for your account came in, the last from ${ip}. Signing in now has to wait between tries, for everyone and for at most 15 minutes at a time.\n\nIf it was not you, nothing was lost. A new password by mail gets you in at once.\n`,
  }
}

export function codeRefusedMail({ id, email }: Addressee, ip: string): Mail {
  return {
    userId: id,
    to: email,
    kind: 'sign_in_failed',
    subject: 'Somebody knows your password',
    text: `Somebody at ${ip} gave the right password for your account, and several wrong codes.\n\nIf it was not you, change your password: the second factor is all that keeps them out.\n`,
  }
}
