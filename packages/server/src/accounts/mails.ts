import type { Mail, Mailer } from '../mail/mailer.ts'

/** The part of the mailer that accounts use. */
export type AccountMailer = Pick<Mailer, 'send' | 'told'>

type Addressee = { id: number; email: string }

const ignore = 'If it was not you, ignore this mail.'

export function resetMail({ id, email }: Addressee, link: string): Mail {
  return {
    userId: id,
    to: email,
    kind: 'reset',
    subject: 'Set a new password',
    text: `Someone, probably you, requested a new password. Set it here within an hour:\n\n${link}\n\n${ignore} Your password stays the same.\n`,
  }
}

export function invitationMail(email: string, link: string): Mail {
  return {
    userId: null,
    to: email,
    kind: 'invitation',
    subject: 'You are invited to Tickwright',
    text: `You are invited to use this Tickwright installation. Choose a password here within seven days:\n\n${link}\n\nIf you did not expect this invitation, ignore this mail.\n`,
  }
}

export function signUpMail(email: string, link: string): Mail {
  return {
    userId: null,
    to: email,
    kind: 'confirmation',
    subject: 'Finish creating your Tickwright account',
    text: `Someone, probably you, requested an account with this address. Choose a password here within seven days:\n\n${link}\n\n${ignore} No account will be created.\n`,
  }
}

export function knownAddressMail({ id, email }: Addressee, publicUrl: string): Mail {
  return {
    userId: id,
    to: email,
    kind: 'confirmation',
    subject: 'You have a Tickwright account',
    text: `Someone, probably you, requested an account with this address, but you already have one. Sign in to it. If you have forgotten your password, set a new one here:\n\n${publicUrl}/reset\n\n${ignore}\n`,
  }
}

/** To the new address: the link makes it the user's. It names no account: the address may be someone else's by mistake. */
export function confirmAddressMail(email: string, link: string): Mail {
  return {
    userId: null,
    to: email,
    kind: 'email_confirmation',
    subject: 'Confirm your new e-mail address',
    text: `Someone, probably you, wants to use this address for their Tickwright account. Confirm it here within a day:\n\n${link}\n\n${ignore} Nothing changes then.\n`,
  }
}

/** To an address that another user wants and that has an account already. */
export function addressTakenMail(email: string): Mail {
  return {
    userId: null,
    to: email,
    kind: 'email_confirmation',
    subject: 'You already have a Tickwright account',
    text: 'Someone, probably you, wanted to use this address for another Tickwright account. But this address already has an account, and each address can have only one.\n\nNothing has changed. If it was not you, ignore this mail.\n',
  }
}

/** To the former address, before the change. */
export function emailChangeAskedMail({ id, email }: Addressee, to: string): Mail {
  return {
    userId: id,
    to: email,
    kind: 'email_change_asked',
    subject: 'A new e-mail address for your Tickwright account',
    text: `Someone who knows your password, probably you, asked to change the e-mail address of your account to ${to}. The change takes effect when the link that was mailed to that address is opened.\n\nIf it was not you, change your password at once. That also makes the link invalid.\n`,
  }
}

/** To the former address, after the change. */
export function emailChangedMail({ id, email }: Addressee, to: string): Mail {
  return {
    userId: id,
    to: email,
    kind: 'email_changed',
    subject: 'Your e-mail address has changed',
    text: `The e-mail address of your Tickwright account is now ${to}. Sign in with it from now on. This address gets no more mail about your account.\n\nIf it was not you, ask the administrator of your installation for help.\n`,
  }
}

export function lockedMail({ id, email }: Addressee, ip: string): Mail {
  return {
    userId: id,
    to: email,
    kind: 'locked',
    subject: 'Wrong passwords for your account',
    text: `Someone tried several wrong passwords for your account, most recently from ${ip}. Everyone now has to wait between attempts to sign in, for at most 15 minutes each time.\n\nIf it was not you, your account is still safe. To sign in without waiting, request a new password by mail.\n`,
  }
}

export function codeRefusedMail({ id, email }: Addressee, ip: string): Mail {
  return {
    userId: id,
    to: email,
    kind: 'sign_in_failed',
    subject: 'Someone knows your password',
    text: `Someone at ${ip} entered the right password for your account, and several wrong codes.\n\nIf it was not you, change your password: only the second factor keeps them out.\n`,
  }
}
