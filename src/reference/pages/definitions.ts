import type { Fault } from '../definitions.js';

/** Faults and variants of the key pages; a title says what the pages do. */

export const pageFaults = [
  { name: 'no-message', title: 'says nothing when there is no key', clauses: ['PAGE-3'] },
  {
    name: 'message-beside-key',
    title: 'says that there is no key, with the key right below',
    clauses: ['PAGE-3'],
  },
  { name: 'makes-nothing', title: 'the action comes back to the page and makes no key', clauses: ['PAGE-1'] },
  { name: 'dead-action', title: 'the action does nothing, however often it is pressed', clauses: ['PAGE-1'] },
  { name: 'broken-action', title: 'the action answers 500 and makes no key', clauses: ['PAGE-1'] },
  {
    name: 'works-without-token',
    title: 'keys from the page open the API only without `Token`',
    clauses: ['PAGE-1', 'PAGE-2'],
  },
  {
    name: 'shows-another-key',
    title: 'the shown key is not the one that works',
    clauses: ['PAGE-1', 'PAGE-2'],
  },
  { name: 'shown-once', title: 'the key is shown once, right after it was made', clauses: ['PAGE-2'] },
  { name: 'another-key-after-reload', title: 'after a reload the page shows another text', clauses: ['PAGE-2'] },
  { name: 'new-key-with-each-view', title: 'every view of the page replaces the key', clauses: ['PAGE-2'] },
  { name: 'key-lost-with-session', title: 'after a new log-in the page no longer shows the key', clauses: ['PAGE-2'] },
] as const satisfies readonly Pick<Fault, 'name' | 'title' | 'clauses'>[];

export const pageVariants = [
  { name: 'plain', title: 'a form that posts and comes back' },
  { name: 'link', title: 'the action is a link' },
  { name: 'swap', title: 'a script posts and replaces a part of the page' },
  { name: 'confirm', title: 'the browser asks for confirmation' },
  { name: 'dialog', title: 'a dialog on the page asks for confirmation' },
  { name: 'ask-again', title: 'a second page asks for confirmation' },
  { name: 'named', title: 'the action asks for a name for the key on a page of its own' },
  { name: 'field', title: 'the key in a read-only field with a copy button, the action an icon' },
  { name: 'placeholder', title: 'the message is the placeholder of an empty field' },
  { name: 'among-examples', title: 'the key inside <pre> among examples, the action among look-alikes' },
  { name: 'masked', title: 'the key is hidden until somebody asks to see it' },
  { name: 'details', title: 'the action is folded away' },
  { name: 'menu', title: 'the action is in a menu that opens' },
  { name: 'toast', title: 'the new key passes by in a toast, and stands on the page' },
  { name: 'table', title: 'several keys in a table, old ones stay valid' },
  { name: 'component', title: 'the place of the key is a web component with a shadow root' },
  { name: 'german', title: 'German texts' },
  { name: 'french', title: 'French texts' },
  { name: 'spanish', title: 'Spanish texts' },
  { name: 'two-step', title: 'the log-in asks for the name first, then for the password' },
  { name: 'many-buttons', title: 'the log-in has several forms and buttons' },
  { name: 'tabs', title: 'message, key and action are behind a tab' },
  { name: 'fetched-tab', title: 'a tab asks for message, key and action only when it is opened' },
  { name: 'all-in-details', title: 'message, key and action are folded away' },
  { name: 'accordion', title: 'message, key and action are in an accordion that no attribute describes' },
  { name: 'modal', title: 'message, key and action are in a dialog' },
  { name: 'late-log-in', title: 'a script renders the log-in form after seconds' },
  { name: 'late-listener', title: 'the script behind the action comes seconds after the page' },
  { name: 'name-first', title: 'the action waits for a name in the field beside it' },
  { name: 'late', title: 'a script renders the page after a while, behind a hash route' },
] as const satisfies readonly Pick<Fault, 'name' | 'title'>[];

export type PageFaultName = (typeof pageFaults)[number]['name'];
export type PageVariantName = (typeof pageVariants)[number]['name'];
