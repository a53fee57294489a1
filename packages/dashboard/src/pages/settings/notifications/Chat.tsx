import { useQueryClient } from '@tanstack/react-query'
import type { ApiClient } from '@tickwright/client'
import { useState } from 'react'
import { plainText } from '../../../base/text.ts'
import { client } from '../../../data/client.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { SelectField } from '../../../parts/Choices.tsx'
import { Buttons, Dialog } from '../../../parts/Dialog.tsx'
import { Confirm, FormDialog } from '../../../parts/FormDialog.tsx'
import { Empty, Notice } from '../../../parts/Notice.tsx'
import { Foreign, Time } from '../../../parts/Values.tsx'
import { Entries, Entry } from '../Entries.tsx'
import { Loaded } from '../Loaded.tsx'
import { allOf } from '../lists.ts'
import styles from '../settings.module.css'

type Link = Extract<Awaited<ReturnType<ApiClient['chat']['links']['list']>>, readonly unknown[]>[number]
type NewLink = Awaited<ReturnType<ApiClient['chat']['links']['create']>>
type Open = { act: 'new' } | { act: 'unlink'; link: Link }

/** A person can open a link at any time. */
const linksQuery = { ...allOf<Link>('chat-links', client.chat.links.list), refetchInterval: 5_000 }

/** Which people of Telegram may use the account, through the bot of the service. */
export function Chat() {
  const links = useQuery(linksQuery)
  const [open, setOpen] = useState<Open | null>(null)
  const create = (
    <Button look="primary" onClick={() => setOpen({ act: 'new' })}>
      Link Telegram
    </Button>
  )
  return (
    <>
      <p className={styles.why}>
        The Telegram bot of this service answers questions about your account, such as /status and /positions,
        and lets you act, such as with /halt. For messages about events, create an endpoint.
      </p>
      <Loaded query={links}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="Nobody is linked" action={create}>
              A link to the bot is valid once, for ten minutes. Anyone who opens it can look at your account.
            </Empty>
          ) : (
            <>
              <div>{create}</div>
              <Entries label="People of Telegram">
                {items.map((link) => (
                  <LinkEntry key={link.id} link={link} onUnlink={() => setOpen({ act: 'unlink', link })} />
                ))}
              </Entries>
            </>
          )
        }
      </Loaded>
      {open?.act === 'new' && <MakeLink onClose={() => setOpen(null)} />}
      {open?.act === 'unlink' && <Unlink link={open.link} onClose={() => setOpen(null)} />}
    </>
  )
}

function LinkEntry({ link, onUnlink }: { link: Link; onUnlink: () => void }) {
  const { name, telegram_id, scope, created_at, used_at } = link
  return (
    <Entry
      name={<Foreign text={name} />}
      facts={[
        ['May', scope === 'read' ? 'look' : 'look and act'],
        ['Telegram', String(telegram_id)],
        ['Linked', <Time key="created" at={created_at} />],
        ...(used_at === null ? [] : [['Last asked', <Time key="used" at={used_at} />] as const]),
      ]}
      actions={
        <Button look="quiet" aria-label={`Unlink ${plainText(name)}`} onClick={onUnlink}>
          Unlink
        </Button>
      }
    />
  )
}

function MakeLink({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewLink | null>(null)
  if (made === null) {
    return (
      <FormDialog
        title="Link Telegram"
        word="Make a link"
        onSend={async (data) => {
          const scope = data.get('scope') === 'control' ? 'control' : 'read'
          setMade(await client.chat.links.create({ scope }))
        }}
        onClose={onClose}
      >
        <p>Open the link on the phone or computer where you use Telegram, and press Start.</p>
        <SelectField
          label="The person may"
          name="scope"
          defaultValue="read"
          hint="To act is to halt, switch bots, close positions and decide about approvals. Telegram and anyone who gets hold of the unlocked phone could do it, too. What spends money asks for your second factor, if you have one."
        >
          <option value="read">look at the account</option>
          <option value="control">look at it, and act</option>
        </SelectField>
      </FormDialog>
    )
  }
  return (
    <Dialog title="Open this link" onClose={onClose}>
      <Notice tone="warning">
        The first person who opens it can {made.scope === 'read' ? 'look at your account' : 'act for you'}. It
        is valid until <Time at={made.expires_at} />.
      </Notice>
      <p>
        <a href={made.url} target="_blank" rel="noreferrer">
          {made.url}
        </a>
      </p>
      <Buttons>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </Buttons>
    </Dialog>
  )
}

function Unlink({ link, onClose }: { link: Link; onClose: () => void }) {
  const queries = useQueryClient()
  const remove = async () => {
    await client.chat.links.delete(link.id)
    await queries.invalidateQueries({ queryKey: linksQuery.queryKey })
  }
  return (
    <Confirm title="Unlink this person" word="Unlink" onConfirm={remove} onClose={onClose}>
      <p>
        <Foreign text={link.name} /> can no longer use your account. The next message gets no answer.
      </p>
    </Confirm>
  )
}
