import { useQueryClient } from '@tanstack/react-query'
import type { Invitation } from '@tickwright/client'
import { useState } from 'react'
import { client } from '../../data/client.ts'
import { SelectField } from '../../parts/Choices.tsx'
import { TextField } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { ShownOnce } from '../../parts/ShownOnce.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'

/** Invites a person. Its link is shown once. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const [made, setMade] = useState<Invitation | null>(null)
  const invite = async (data: FormData) => {
    const role = data.get('role') === 'admin' ? 'admin' : 'user'
    const invitation = await client.users.invitations.create({ email: String(data.get('email')), role })
    void queries.invalidateQueries({ queryKey: ['users'] })
    setMade(invitation)
  }
  if (made !== null) return <Made invitation={made} onClose={onClose} />
  return (
    <FormDialog title="Invite a person" word="Invite" onSend={invite} onClose={onClose} fields={['email']}>
      {(problemOf) => (
        <>
          <TextField
            label="E-mail address"
            hint="If the service has a mail server, it sends the link there."
            name="email"
            type="email"
            autoComplete="off"
            problem={problemOf('email')}
          />
          <SelectField
            label="Role"
            hint="Administrators see and change all users, and switch live trading."
            name="role"
          >
            <option value="user">User</option>
            <option value="admin">Administrator</option>
          </SelectField>
        </>
      )}
    </FormDialog>
  )
}

function Made({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const { email, link, expires_at } = invitation
  return (
    <ShownOnce
      title="The invitation"
      secrets={link === undefined ? [] : [{ label: 'Link', name: 'link', text: link }]}
      word="I have passed it on"
      onDone={onClose}
    >
      <Notice tone="warning">
        Pass the link on to <Foreign text={email} /> now: nobody can show it again. Anyone who has it can
        create the account. It is valid once, until <Time at={expires_at} />.
      </Notice>
    </ShownOnce>
  )
}
