"""The words of each tab, in English and in simplified Chinese, beside the code that lays them out."""
