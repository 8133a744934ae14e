"""What a card of version 2.0 may hold: the properties of each object, their types, and what it can't do without.

One object per line: its name, then `property:type`; `!` marks what is required. Types: s string, b boolean, n number,
a anything, o object; every other type names an object, with `*` a list of them. `element` is looked up by its tag.
A word in capitals stands for a group of properties.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Property:
    name: str
    type: str
    many: bool = False
    required: bool = False


Spec = dict[str, Property]
GROUPS = {
    "TAG": "tag!:s element_id:s margin:s",
    "LAYOUT": "direction:s padding:s horizontal_spacing:s horizontal_align:s vertical_spacing:s vertical_align:s",
    "SURFACE": "background_style:s width:s margin:s",
    "FIELD": "name:s required:b disabled:b width:s placeholder:text confirm:confirm behaviors:behavior* value:a",
}
OBJECTS = """
root        schema!:s config:config card_link:link header:header body!:body
config      streaming_mode:b streaming_config:o summary:summary locales:a enable_forward:b update_multi:b width_mode:s
            enable_forward_interaction:b use_custom_translation:b style:o wide_screen_mode:b
summary     content:s i18n_content:o
link        url:s android_url:s ios_url:s pc_url:s
header      title!:text subtitle:text text_tag_list:text_tag* i18n_text_tag_list:o template:s icon:icon ud_icon:o
            padding:s
body        LAYOUT elements!:element*
text        tag!:s content:s i18n:o i18n_content:o text_size:s text_color:s text_align:s lines:n element_id:s icon:icon
text_tag    tag!:s text!:text color:s element_id:s
icon        tag!:s token:s color:s img_key:s size:s
confirm     title!:text text!:text
behavior    type!:s value:a default_url:s android_url:s ios_url:s pc_url:s behaviors:a
option      text:text value:s icon:icon img_key:s multi_url:link disabled:b
column      TAG SURFACE LAYOUT weight:n elements:element* action:o
panel_header  title!:element background_color:s vertical_align:s padding:s position:s width:s icon:icon
            icon_position:s icon_expanded_angle:n
border      color:s corner_radius:s
table_column  name!:s display_name:s data_type:s width:s vertical_align:s horizontal_align:s format:o date_format:s
image       img_key!:s
person_id   id!:s
"""
ELEMENTS = """
plain_text  content:s i18n:o i18n_content:o text_size:s text_color:s text_align:s lines:n icon:icon
lark_md     content:s i18n:o i18n_content:o text_size:s text_color:s text_align:s lines:n icon:icon
markdown    content!:s text_size:s text_align:s icon:icon i18n_content:o
div         text:text icon:icon width:s
hr
img         img_key!:s alt:text title:text corner_radius:s scale_type:s size:s transparent:b preview:b mode:s
            custom_width:n
img_combination  combination_mode!:s combination_transparent:b corner_radius:s img_list!:image*
person      user_id!:s size:s show_avatar:b show_name:b style:s
person_list persons!:person_id* size:s show_name:b show_avatar:b lines:n drop_invalid_user_id:b icon:icon ud_icon:o
table       page_size:n row_height:s row_max_height:s freeze_first_column:b header_style:o columns!:table_column*
            rows!:a
chart       chart_spec!:a aspect_ratio:s color_theme:s preview:b height:s
column_set  SURFACE horizontal_spacing:s horizontal_align:s vertical_spacing:s flex_mode:s columns!:column* action:o
collapsible_panel  expanded:b background_color:s header!:panel_header border:border LAYOUT elements:element*
interactive_container  SURFACE LAYOUT height:s has_border:b border_color:s corner_radius:s behaviors:behavior*
            hover_tips:text disabled:b disabled_tips:text confirm:confirm elements!:element*
form        name!:s LAYOUT elements!:element* confirm:confirm
button      text:text type:s size:s width:s icon:icon hover_tips:text disabled:b disabled_tips:text confirm:confirm
            behaviors:behavior* name:s required:b form_action_type:s value:a url:s multi_url:link action_type:s
            complex_interaction:b
input       FIELD default_value:s max_length:n input_type:s show_icon:b rows:n auto_resize:b max_rows:n label:text
            label_position:s fallback:o
select_static        FIELD type:s options!:option* initial_option:s initial_index:n
multi_select_static  FIELD type:s options!:option* selected_values:a
select_person        FIELD type:s options:a initial_option:s
multi_select_person  FIELD type:s options:a selected_values:a
select_img  FIELD type:s options!:option* multi_select:b layout:s can_preview:b aspect_ratio:s style:s selected_values:a
overflow    FIELD options!:option*
date_picker      FIELD type:s initial_date:s
picker_time      FIELD type:s initial_time:s
picker_datetime  FIELD type:s initial_datetime:s
checker     FIELD checked:b text:text overall_checkable:b button_area:o checked_style:o hover_tips:text
            disabled_tips:text padding:s pc_display_rule:s
audio       file_key:s audio_id:s style:s show_progress_bar:b background_color:s width:s fallback:o show_time:b
"""
GONE = frozenset({"action", "note", "select_menu", "img_carousel"})  # tags of version 1 without a successor
CONTAINERS = frozenset({"column_set", "collapsible_panel", "interactive_container", "form"})
TEMPLATES = frozenset({
    "blue", "wathet", "turquoise", "green", "yellow", "orange", "red", "carmine", "violet", "purple", "indigo", "grey",
    "default",
})  # fmt: skip
CELLS = frozenset({"text", "lark_md", "markdown", "number", "options", "persons", "date"})


def parse(table: str) -> dict[str, list[str]]:
    """Name → its words, groups already in place of their names."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in filter(str.strip, table.splitlines()):
        words = line.split()
        if not line.startswith(" "):
            name = words.pop(0)
        found.setdefault(name, []).extend(word for w in words for word in GROUPS.get(w, w).split())
    return found


def spec(words: list[str]) -> Spec:
    properties = {}
    for word in words:
        name, _, kind = word.partition(":")
        plain = name.rstrip("!")
        properties[plain] = Property(plain, kind.rstrip("*"), kind.endswith("*"), name.endswith("!"))
    return properties


SPECS: dict[str, Spec] = {name: spec(words) for name, words in parse(OBJECTS).items()}
TAGS: dict[str, Spec] = {tag: spec([*GROUPS["TAG"].split(), *words]) for tag, words in parse(ELEMENTS).items()}
INPUTS = frozenset(tag for tag, fields in TAGS.items() if "placeholder" in fields and tag != "overflow")
