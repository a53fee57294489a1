import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { Buttons, Dialog } from './Dialog.tsx'
import { Facts } from './Facts.tsx'
import { Secret } from './Secret.tsx'

/** A secret with its label above it, and its name in the words of its buttons. */
export type ShownSecret = { label: string; name: string; text: string }

/**
 * Shows secrets that nobody can show again. Only its last button closes it, so that Escape loses nothing.
 * @param word what that button says
 * @param children what the secrets are for, and who may have them
 */
export function ShownOnce({
  title,
  secrets,
  word = 'I have stored it',
  onDone,
  children,
}: {
  title: string
  secrets: readonly ShownSecret[]
  word?: string
  onDone: () => void
  children: ReactNode
}) {
  return (
    <Dialog title={title}>
      {children}
      <Facts
        facts={secrets.map(({ label, name, text }) => [label, <Secret key={name} text={text} name={name} />])}
      />
      <Buttons>
        <Button look="primary" onClick={onDone}>
          {word}
        </Button>
      </Buttons>
    </Dialog>
  )
}
